package import HTTPTypes

extension HTTPFields {
    /// The fields in which proxies describe a request (RFC 7239, RFC 8586, RFC 9110 §7.6.3).
    private static let proxyFields = [
        "forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-port",
        "x-forwarded-server", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip", "cdn-loop", "via",
    ].compactMap { HTTPField.Name($0) }

    /// The first field that only proxies write; nil if there is none.
    package var proxyField: HTTPField.Name? { Self.proxyFields.first { contains($0) } }
}
