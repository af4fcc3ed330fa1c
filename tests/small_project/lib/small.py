def twice(value):
    if value < 2:
        return 0
    return value + value
