internal import Foundation

/// The parser of an answer in HTTP/1.1 (RFC 9112), which is fed bit by bit.
struct AnswerParser {
    /// The ways to find the end of a body.
    private enum Framing {
        case length(Int64)
        case chunk(Int64)
        case chunkSize
        case chunkEnd
        case trailer
        case untilClose
        case complete
    }

    private static let headLimit = 256 << 10

    private let hasNoBody: Bool
    private var unread = Data()
    private var framing: Framing?
    private(set) var head: Exchange.Head?
    private var keepsConnection = false

    /// Creates a parser for the answer to a request with a method.
    init(method: String) { hasNoBody = method == "HEAD" }

    /// Whether the whole answer has been parsed.
    var isComplete: Bool { if case .complete = framing { true } else { false } }

    /// Whether another request can follow on the connection.
    var allowsReuse: Bool { isComplete && keepsConnection && unread.isEmpty }

    /// Whether no byte has arrived.
    private(set) var isEmpty = true

    /// Takes received bytes, and returns those of the body.
    ///
    /// - Throws: `TransportError.Cause.malformed`.
    mutating func parse(_ bytes: Data) throws -> Data {
        isEmpty = isEmpty && bytes.isEmpty
        unread = unread.isEmpty ? bytes : Data(unread) + bytes
        while framing == nil { guard try parseHead() else { return Data() } }
        var body = Data()
        while try parseBody(into: &body) {}
        return body
    }

    /// Notes the end of the connection.
    ///
    /// - Throws: `TransportError.Cause.interrupted` if the answer is not whole.
    mutating func end() throws {
        switch framing {
        case .complete: return
        case .untilClose: framing = .complete
        case nil where isEmpty: throw TransportError(.interrupted, "the connection ended before the answer")
        case nil: throw TransportError(.interrupted, "the connection ended within the header")
        default: throw TransportError(.interrupted, "the connection ended within the body")
        }
    }

    /// Parses the header of a final answer, and drops those of interim ones.
    ///
    /// - Returns: Whether there was a whole header.
    private mutating func parseHead() throws -> Bool {
        let start = Data("HTTP/1.".utf8)
        guard unread.prefix(start.count) == start.prefix(unread.count) else { throw Self.malformed("no HTTP") }
        guard let end = unread.range(of: Data("\r\n\r\n".utf8)), end.upperBound - unread.startIndex <= Self.headLimit
        else {
            guard unread.count <= Self.headLimit else { throw TransportError(.tooLarge, "the header") }
            return false
        }
        let lines = String(decoding: unread[..<end.lowerBound], as: UTF8.self)
            .split(separator: "\r\n", omittingEmptySubsequences: false)
        unread = unread[end.upperBound...]
        let words = lines[0].split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[1].utf8.count == 3, let status = Int(words[1]), status >= 100, status != 101
        else {
            throw Self.malformed(String(lines[0]))
        }
        guard status >= 200 else { return true }
        let headers = try Self.headers(lines.dropFirst())
        head = Exchange.Head(status: status, headers: headers)
        let connection = headers["Connection"]?.lowercased() ?? ""
        keepsConnection = lines[0].hasPrefix("HTTP/1.1") && !connection.contains("close")
        framing = try framing(status, headers)
        return true
    }

    private static func headers(_ lines: some Sequence<Substring>) throws -> HeaderFields {
        var headers = HeaderFields()
        for line in lines {
            guard let colon = line.firstIndex(of: ":"), colon != line.startIndex, !line.hasPrefix(" "),
                !line.hasPrefix("\t")
            else {
                throw malformed("the header field \(line)")
            }
            let name = String(line[..<colon])
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            headers[name] = headers[name].map { "\($0), \(value)" } ?? value
        }
        return headers
    }

    private func framing(_ status: Int, _ headers: HeaderFields) throws -> Framing {
        if let encoding = headers["Content-Encoding"], encoding.lowercased() != "identity", !hasNoBody {
            throw Self.malformed("the content encoding \(encoding), for which nobody has wished")
        }
        if hasNoBody || status == 204 || status == 304 { return .complete }
        if let encoding = headers["Transfer-Encoding"] {
            guard encoding.lowercased() == "chunked" else { throw Self.malformed("the transfer encoding \(encoding)") }
            return .chunkSize
        }
        guard let text = headers["Content-Length"] else { return .untilClose }
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), !text.isEmpty else {
            throw Self.malformed("the length \(text)")
        }
        guard let length = Int64(text) else { throw TransportError(.tooLarge, "\(text) bytes") }
        return length == 0 ? .complete : .length(length)
    }

    /// Parses a part of the body.
    ///
    /// - Returns: Whether there may be more in the unread bytes.
    private mutating func parseBody(into body: inout Data) throws -> Bool {
        switch framing {
        case nil, .complete: return false
        case .untilClose:
            body.append(unread)
            unread = Data()
            return false
        case .length(let missing):
            let rest = take(missing, into: &body)
            framing = rest == 0 ? .complete : .length(rest)
        case .chunk(let missing):
            let rest = take(missing, into: &body)
            framing = rest == 0 ? .chunkEnd : .chunk(rest)
        case .chunkSize:
            guard let line = try takeLine() else { return false }
            let digits = line.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
            guard !digits.isEmpty, digits.utf8.count <= 15, !digits.hasPrefix("-"), !digits.hasPrefix("+"),
                let size = Int64(digits, radix: 16)
            else { throw Self.malformed("the size \(digits) of a chunk") }
            framing = size == 0 ? .trailer : .chunk(size)
        case .chunkEnd:
            guard let line = try takeLine() else { return false }
            guard line.isEmpty else { throw Self.malformed("the end of a chunk") }
            framing = .chunkSize
        case .trailer:
            guard let line = try takeLine() else { return false }
            if line.isEmpty { framing = .complete }
        }
        return !unread.isEmpty
    }

    private mutating func take(_ count: Int64, into body: inout Data) -> Int64 {
        let taken = unread.prefix(Int(min(count, Int64(unread.count))))
        body.append(taken)
        unread = unread.dropFirst(taken.count)
        return count - Int64(taken.count)
    }

    private mutating func takeLine() throws -> String? {
        guard let end = unread.range(of: Data("\r\n".utf8)) else {
            guard unread.count <= 4096 else { throw Self.malformed("a line of more than 4096 bytes") }
            return nil
        }
        defer { unread = unread[end.upperBound...] }
        return String(decoding: unread[..<end.lowerBound], as: UTF8.self)
    }

    private static func malformed(_ detail: String) -> TransportError {
        TransportError(.malformed, String(detail.prefix(200)))
    }
}
