/// The part of a file that a `Range` header asks for (RFC 9110 §14.1.2).
enum RequestedRange: Hashable {
    /// The whole file: there is no range, more than one, or a malformed header.
    case whole
    /// These bytes.
    case part(Range<Int>)
    /// The range is outside the file.
    case unsatisfiable

    /// Parses the header for a file of that many bytes.
    init(header: String?, byteCount: Int) {
        self = .whole
        guard let header, let equals = header.firstIndex(of: "="),
            header[..<equals].lowercased() == "bytes"
        else { return }
        let ends = header[header.index(after: equals)...].split(separator: "-", omittingEmptySubsequences: false)
            .map { $0.drop { $0 == " " } }
        guard ends.count == 2 else { return }
        switch (Self.number(ends[0]), Self.number(ends[1])) {
        case (let first?, let last?) where first <= last:
            self = first < byteCount ? .part(first..<min(last, byteCount - 1) + 1) : .unsatisfiable
        case (let first?, nil) where ends[1].isEmpty:
            self = first < byteCount ? .part(first..<byteCount) : .unsatisfiable
        case (nil, let count?) where ends[0].isEmpty:
            self = count > 0 && byteCount > 0 ? .part(max(0, byteCount - count)..<byteCount) : .unsatisfiable
        default: return
        }
    }

    /// Parses digits; a number that is too large exceeds every file.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text) ?? Int.max
    }
}
