# The data-movement kernel API.
lightmetal_test(dataflow_api_test
  SOURCES device/dataflow/dataflow_api_test.cc device/dataflow/dataflow_api_events_test.cc device/dataflow/dataflow_api_address_rows.cc
          device/dataflow/dataflow_api_multicast_rows.cc device/dataflow/dataflow_api_object_rows.cc device/dataflow/dataflow_api_today_rows.cc
          device/dataflow/dataflow_api_spring_rows.cc
          device/dataflow/dataflow_api_transfer_rows.cc device/dataflow/dataflow_api_accessor_test.cc device/dataflow/dataflow_api_compute_test.cc
          device/concurrency_test.cc
  DEPENDS LightMetal::api)
