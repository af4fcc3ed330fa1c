#pragma once

// A program that makes every call of the host API that a file can hold.
void make_every_call();
