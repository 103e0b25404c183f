package import CoreMetrics
import Metering

/// The metrics of events on their way to listeners of the database, by kind of listener.
package enum DeliveryMetrics: String, MetricLabels {
    case eventStream = "event-stream"
    case webSocket = "websocket"

    var pairs: [(String, String)] { [("protocol", rawValue)] }

    /// Creates the timer for the lag of listeners of this kind. It records once for each event and event loop, when the
    /// last of the loop's listeners has the event.
    package func lag(_ factory: any MetricsFactory) -> Timer {
        factory.timers(
            "tintype_listener_lag_seconds", "Time from a commit until its event was handed to the connections.",
            by: DeliveryMetrics.self)[self]
    }
}
