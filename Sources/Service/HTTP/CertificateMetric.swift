import CoreMetrics
import Metering
import Transport

/// The end of the server's own certificate as a metric. It has no series for a service without TLS.
struct CertificateMetric: Sendable {
    private static let name = "tintype_tls_certificate_expiry_timestamp_seconds"

    private let registry: MetricsRegistry

    init(_ registry: MetricsRegistry) {
        self.registry = registry
        registry.declare(Metric(Self.name, .gauge, "The time at which the TLS certificate ends, since the epoch."))
    }

    @Sendable func show(_ certificates: TLSCertificates) {
        Meter(label: Self.name, factory: registry).set(certificates.expiry)
    }
}
