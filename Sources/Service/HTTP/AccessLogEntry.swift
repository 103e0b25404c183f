import Access
import Foundation
import HTTPTypes
import Transport

/// A request and its end, for the access log.
struct AccessLogEntry: Sendable {
    /// The longest text of a client in a line, in characters.
    private static let maxCharacters = 1000
    /// The status of a request whose client disconnected before the response, as nginx writes it.
    private static let clientGone = 499

    let time = Date.now
    private let begin = ContinuousClock.now
    let address: String
    let method: String
    /// The path without the query.
    let path: String
    let referrer: String?
    let agent: String?
    /// The identifier of the request in the log of the service; nil for a stream.
    let trace: String?
    /// The identity that the request acts as; nil if it was not determined.
    var identity: Identity?
    /// The status of the response; nil if there was none.
    var status: Int?
    /// The bytes of the response's body; for a stream, of the whole response.
    var byteCount = 0
    private(set) var duration = Duration.zero

    /// Creates the entry of a request that begins now.
    init(_ request: HTTPRequest, from client: ClientConnection, trace: String?) {
        let address = client.address(of: request)
        // The form of nginx for a client of a Unix socket.
        self.address = address.isEmpty ? "unix:" : address
        method = request.method.rawValue
        path = Self.withoutQuery(request.path ?? "")
        referrer = request.headerFields[.referer].map(Self.withoutQuery)
        agent = request.headerFields[.userAgent].map { String($0.prefix(Self.maxCharacters)) }
        self.trace = trace
    }

    private static func withoutQuery(_ address: String) -> String {
        String(address.prefix { $0 != "?" && $0 != "#" }.prefix(maxCharacters))
    }

    mutating func end() { duration = ContinuousClock.now - begin }

    private var milliseconds: Double { (duration / .milliseconds(1) * 1000).rounded() / 1000 }

    // MARK: Forms

    /// Returns the line in the Combined Log Format, with the duration in milliseconds and the trace behind it.
    ///
    /// - Parameters:
    ///   - time: The time in the form of that format.
    ///   - redact: Returns a text without credentials.
    func combined(at time: String, _ redact: (String) -> String) -> String {
        func quoted(_ text: String?) -> String { "\"\(text.map { Self.escaped(redact($0)) } ?? "-")\"" }
        let user =
            switch identity {
            case .admin?: "(admin)"
            case let identity?: identity.uid.map { Self.escaped($0, spaces: true) } ?? "-"
            case nil: "-"
            }
        let request = quoted("\(method) \(path) HTTP/1.1")
        return "\(address) - \(user) [\(time)] \(request) \(status ?? Self.clientGone) \(byteCount) "
            + "\(quoted(referrer)) \(quoted(agent)) \(milliseconds) \(trace ?? "-")"
    }

    /// Writes control characters, quotes and backslashes as `\xHH`, as web servers do: a client cannot imitate a line.
    private static func escaped(_ text: String, spaces: Bool = false) -> String {
        text.utf8.map { byte in
            switch byte {
            case 0x00..<0x20, 0x7F..., UInt8(ascii: "\""), UInt8(ascii: "\\"): hex(byte)
            case UInt8(ascii: " ") where spaces: hex(byte)
            default: String(Unicode.Scalar(byte))
            }
        }.joined()
    }

    private static func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return "\\x\(digits.count == 1 ? "0" : "")\(digits)"
    }

    /// The fields of a line of JSON.
    private struct Fields: Encodable {
        let time: String
        let address: String
        let user: String?
        let admin: Bool?
        let method: String
        let path: String
        let status: Int?
        let bytes: Int
        let milliseconds: Double
        let referrer: String?
        let agent: String?
        let trace: String?

        enum CodingKeys: String, CodingKey {
            case time, address, user, admin, method, path, status, bytes
            case milliseconds = "duration_ms"
            case referrer, agent, trace
        }
    }

    /// Returns the line as a JSON object.
    func json(_ redact: (String) -> String) -> String? {
        let fields = Fields(
            time: time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)), address: address,
            user: identity?.uid, admin: identity == .admin ? true : nil, method: method, path: redact(path),
            status: status, bytes: byteCount, milliseconds: milliseconds, referrer: referrer.map(redact),
            agent: agent.map(redact), trace: trace)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(fields)).map { String(decoding: $0, as: UTF8.self) }
    }
}
