package import CoreMetrics
import Metering

/// The metrics of events on their way to listeners of the database, by the way in which they listen.
package enum DeliveryMetrics: String, MetricLabels {
    case eventStream = "event-stream"
    case webSocket = "websocket"

    var pairs: [(String, String)] { [("protocol", rawValue)] }

    /// Makes what records the lag of listeners of this kind: once for each event and event loop, when the last of the loop's
    /// listeners has it.
    package func lag(_ factory: any MetricsFactory) -> Timer {
        factory.timers(
            "tintype_listener_lag_seconds", "Time from a commit until its event was handed to the connections.",
            by: DeliveryMetrics.self)[self]
    }
}
