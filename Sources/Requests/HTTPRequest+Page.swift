import HTTPTypes
import Transport

extension HTTPRequest {
    /// The origin of the web page that makes a browser send the request, in lower case; nil if there is none.
    ///
    /// Browsers name it in `Origin` for requests that change something; a few old ones, and forms, only in `Referer`.
    /// An address without an origin is `null`, as in browsers.
    var pageOrigin: String? {
        if let origin = headerFields[.origin] { return origin.lowercased() }
        guard let referrer = headerFields[.referer], !referrer.isEmpty else { return nil }
        let parts = referrer.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0].count > 1, parts[0].hasSuffix(":"), parts[1].isEmpty else { return "null" }
        return "\(parts[0])//\(parts[2])".lowercased()
    }

    /// Whether the request is a browser's preflight for a page's request (Fetch §3.2.2).
    package var isPreflight: Bool {
        method == .options && headerFields[.origin] != nil && headerFields[.accessControlRequestMethod] != nil
    }

    /// Whether a page that another machine serves makes a browser send the request.
    var isFromForeignPage: Bool {
        guard let origin = pageOrigin else { return false }
        let parts = origin.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count != 3 || !HostName.isLoopback(HostName.split(String(parts[2])).host)
    }
}

extension HTTPField.Name {
    static var secFetchSite: HTTPField.Name { HTTPField.Name(parsed: "sec-fetch-site") }
}
