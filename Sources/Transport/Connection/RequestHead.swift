import API

/// A request's head, parsed from its bytes as strictly as RFC 9112 requires.
///
/// The parser behind it is lenient where others are not: two parsers that read a head differently can be made to see
/// different requests in the same bytes. So only unambiguous heads are passed to it.
struct RequestHead: Hashable {
    /// The framing of the request's body.
    enum Body: Hashable {
        /// This many bytes after the head; 0 if none are announced.
        case bytes(Int)
        case chunked
    }

    /// The largest sizes of a line and of the whole head, in bytes. A text of 2,000 characters in a query has up to
    /// 24,000 bytes.
    static let maxLineBytes = 32 << 10
    static let maxBytes = 64 << 10
    static let maxFields = 100

    private(set) var body: Body

    private let target: [UInt8]
    private let isVersion10: Bool
    private var hosts: [ArraySlice<UInt8>] = []
    private var lengths: [ArraySlice<UInt8>] = []
    private var codings: [ArraySlice<UInt8>] = []

    /// Parses a head, including the empty line that ends it.
    ///
    /// - Throws: `Failure` that names the fault: `malformed_request`, `head_too_large`, `version_not_supported`,
    ///   `coding_not_supported`, or `too_large_bytes` for a length that does not fit a number.
    init(_ bytes: some Sequence<UInt8>) throws(Failure) {
        var lines = Array(bytes).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        lines = lines.prefix { $0.last == UInt8(ascii: "\r") && $0.count > 1 }
        guard let first = lines.popFirst() else { throw .malformed("it has no request line") }
        (target, isVersion10) = try Self.requestLine(first.dropLast())
        guard lines.count <= Self.maxFields else {
            throw .headTooLarge("it has \(lines.count) fields; the limit is \(Self.maxFields)")
        }
        body = .bytes(0)
        for line in lines { try readField(line.dropLast()) }
        try checkHost()
        body = try framing()
    }

    // MARK: - Lines

    private static func requestLine(_ line: ArraySlice<UInt8>) throws(Failure) -> ([UInt8], isVersion10: Bool) {
        try checkLength(line)
        if let byte = line.first(where: { $0 >= 0x80 }) {
            throw .malformed(
                "its address has the byte 0x\(String(byte, radix: 16, uppercase: true)), which is not ASCII",
                hint: "Percent-encode it (RFC 3986), or use curl with --get --data-urlencode 'text=…'.")
        }
        let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(\.isTokenCharacter), !parts[1].isEmpty,
            parts[1].allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw .malformed("its first line is not METHOD ADDRESS HTTP/1.1 with one space between each") }
        let (method, target) = (parts[0], Array(parts[1]))
        switch String(decoding: parts[2], as: UTF8.self) {
        case "HTTP/1.1": try checkForm(of: target, method)
        case "HTTP/1.0": try checkForm(of: target, method)
        case let version where version.hasPrefix("HTTP/") && version.utf8.count == 8:
            throw Failure(
                .versionNotSupported, "\(version) is not supported", hint: "Use HTTP/1.1, with curl by --http1.1.")
        default: throw .malformed("its first line does not end in a version of HTTP")
        }
        return (target, parts[2].last == UInt8(ascii: "0"))
    }

    /// Checks the form of a target (RFC 9112 §3.2): a path, a whole address, or `*` for OPTIONS; CONNECT is refused for
    /// its method.
    private static func checkForm(of target: [UInt8], _ method: ArraySlice<UInt8>) throws(Failure) {
        if target.first == UInt8(ascii: "/") || authority(of: target) != nil { return }
        if target == Array("*".utf8), method.elementsEqual("OPTIONS".utf8) { return }
        if method.elementsEqual("CONNECT".utf8) { return }
        throw .malformed("its address is neither a path that begins with / nor http://HOST/PATH")
    }

    private mutating func readField(_ line: ArraySlice<UInt8>) throws(Failure) {
        try Self.checkLength(line)
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy(\.isTokenCharacter)
        else { throw .malformed("one of its lines is not a field \"NAME: VALUE\"") }
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var value = line[(colon + 1)...].drop(while: isBlank)
        while let last = value.last, isBlank(last) { value.removeLast() }
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }) else {
            throw .malformed("its field \(name.prefix(80)) has a control character")
        }
        switch name {
        case "host": hosts.append(value)
        case "content-length": lengths.append(value)
        case "transfer-encoding": codings.append(value)
        default: break
        }
    }

    private static func checkLength(_ line: ArraySlice<UInt8>) throws(Failure) {
        guard line.count <= maxLineBytes else {
            throw .headTooLarge("one of its lines has \(line.count) bytes; the limit is \(maxLineBytes)")
        }
    }

    // MARK: - Host

    private func checkHost() throws(Failure) {
        guard hosts.count == 1 || hosts.isEmpty && isVersion10 else {
            throw .malformed("it has \(hosts.count) Host fields, not one")
        }
        let host = hosts.first ?? []
        guard host.allSatisfy(\.isAuthorityCharacter) else { throw .malformed("its Host is not a host") }
        guard let authority = Self.authority(of: target) else { return }
        // Clients send the same host twice; a difference may be an attempt to mislead one of two parsers.
        guard !authority.isEmpty, authority.allSatisfy(\.isAuthorityCharacter), host.lowercased == authority.lowercased
        else { throw .malformed("its address names another host than its Host field") }
    }

    /// Returns the host and port that a whole address names; nil for a path.
    private static func authority(of target: [UInt8]) -> ArraySlice<UInt8>? {
        let lowercased = target.prefix(8).lowercased
        guard let scheme = ["http://", "https://"].first(where: { lowercased.starts(with: $0.utf8) }) else {
            return nil
        }
        return target.dropFirst(scheme.utf8.count).prefix { !"/?#".utf8.contains($0) }
    }

    // MARK: - Framing

    /// Determines the framing of the body (RFC 9112 §6.3).
    private func framing() throws(Failure) -> Body {
        guard codings.isEmpty else {
            guard lengths.isEmpty else { throw .malformed("it has both Content-Length and Transfer-Encoding") }
            guard !isVersion10 else { throw .malformed("HTTP/1.0 has no Transfer-Encoding") }
            try checkCodings()
            return .chunked
        }
        guard let length = lengths.first else { return .bytes(0) }
        guard lengths.count == 1 else { throw .malformed("it has \(lengths.count) Content-Length fields") }
        guard !length.isEmpty, length.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .malformed("its Content-Length is not a number")
        }
        guard let count = Int(String(decoding: length, as: UTF8.self)) else {
            throw Failure(
                .tooLarge, "a body of \(String(decoding: length.prefix(40), as: UTF8.self)) bytes is too long")
        }
        return .bytes(count)
    }

    private func checkCodings() throws(Failure) {
        let names = codings.flatMap { $0.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) }
            .map { String(decoding: $0, as: UTF8.self).lowercased().filter { $0 != " " && $0 != "\t" } }
        guard names != ["chunked"] else { return }
        guard names.last == "chunked", names.dropLast().allSatisfy({ !$0.isEmpty && $0 != "chunked" }) else {
            throw .malformed("its Transfer-Encoding does not define where the body ends")
        }
        throw Failure(
            .codingNotSupported,
            "the transfer coding \(names.dropLast().joined(separator: ", ").prefix(80)) is not supported",
            hint: "Send the body as it is, or chunked.")
    }
}

extension Failure {
    static func malformed(
        _ complaint: String, hint: String = "Send requests as RFC 9112 defines them."
    ) -> Failure {
        Failure(.malformedRequest, "the request cannot be read: \(complaint)", hint: hint)
    }

    fileprivate static func headTooLarge(_ complaint: String) -> Failure {
        Failure(
            .headTooLarge, "the request's head is too large: \(complaint)", hint: "Put long texts into the body.")
    }

    /// The failure for a head that exceeds the limit before it has ended.
    static var endlessHead: Failure { headTooLarge("it has more than \(RequestHead.maxBytes) bytes") }
}

extension Sequence<UInt8> {
    fileprivate var lowercased: [UInt8] {
        map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }
}

extension UInt8 {
    private var isAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }

    /// Whether the byte may occur in a token (RFC 9110 §5.6.2).
    fileprivate var isTokenCharacter: Bool { isAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(self) }

    /// Whether the byte may occur in an authority (RFC 3986 §3.2) without user information.
    fileprivate var isAuthorityCharacter: Bool { isAlphanumeric || "-._~%!$&'()*+,;=:[]".utf8.contains(self) }
}
