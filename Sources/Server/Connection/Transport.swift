/// What the connections of a listener have around HTTP.
struct Transport: Sendable {
    /// The certificate with which they are encrypted; nil where they are not.
    var certificates: TLSCertificates?
    /// The proxies that are believed when they say for whom they connect; nil for none.
    var proxies: TrustedProxies?
}
