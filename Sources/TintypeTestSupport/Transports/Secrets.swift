internal import Foundation
internal import TintypeClient
internal import TintypeModel

/// The parts of requests and answers that a recording must not contain.
struct Secrets: Sendable {
    private static let mask = "REDACTED"
    private static let headerNames: Set = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "authentication-info",
    ]
    private static let words = [
        "token", "password", "secret", "oobcode", "signature", "credential", "postbody", "link",
    ]

    private let url: URL
    /// Whether the address is one of those for accounts and invitations, where codes are secrets, too.
    private let isOfAccounts: Bool

    init(_ url: URL) {
        self.url = url
        isOfAccounts =
            !url.path.contains("/v1/") || ["toolkit", "token", "invitation"].contains { url.path.contains($0) }
    }

    static func redacted(_ headers: HeaderFields) -> HeaderFields {
        var headers = headers
        for name in headerNames { headers[name] = nil }
        return headers
    }

    /// The path and the query without secrets.
    var target: String {
        let components = URLComponents(url: url, resolvingAgainstBaseURL: false)
        let path = components?.percentEncodedPath ?? url.path
        guard let query = components?.percentEncodedQuery else { return path }
        return path + "?" + redactedForm(query)
    }

    /// Returns a body without secrets; nil for none.
    func redacted(_ data: Data, ofRequest isRequest: Bool) -> RecordedExchange.Body? {
        switch RecordedExchange.Body(data) {
        case .json(let value): .json(redacted(value, ofRequest: isRequest))
        case .text(let text) where isOfAccounts: .text(redactedForm(text))
        case let body: body
        }
    }

    private func redacted(_ value: JSONValue, ofRequest isRequest: Bool) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map { redacted($0, ofRequest: isRequest) })
        case .object(let members):
            let pairs = members.map { name, member in
                switch member {
                case .string where isSecret(name, ofRequest: isRequest): (name, JSONValue.string(Self.mask))
                default: (name, redacted(member, ofRequest: isRequest))
                }
            }
            return .object(Dictionary(uniqueKeysWithValues: pairs))
        default: return value
        }
    }

    /// Returns a form, such as a query, without secrets.
    private func redactedForm(_ form: String) -> String {
        form.split(separator: "&", omittingEmptySubsequences: false).map { field in
            guard let name = field.split(separator: "=").first, field.contains("="),
                isSecret(String(name), ofRequest: true) || ["auth", "sig", "access"].contains(String(name))
            else { return String(field) }
            return "\(name)=\(Self.mask)"
        }.joined(separator: "&")
    }

    private func isSecret(_ name: String, ofRequest isRequest: Bool) -> Bool {
        let name = name.lowercased()
        if Self.words.contains(where: name.contains) { return true }
        return isOfAccounts && ["code", "invitation", "picture", "pin"].contains(name)
    }
}
