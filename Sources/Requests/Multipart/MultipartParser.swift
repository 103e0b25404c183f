package import API
package import NIOCore

/// A streaming parser for `multipart/form-data` (RFC 7578, RFC 2046 §5.1) and `multipart/related` (RFC 2387) bodies.
///
/// It does no I/O: feed it a chunk, then call ``next()`` until it returns nil. In addition to the chunk it holds at
/// most a part's headers or a delimiter; photos pass through it in slices of the chunk.
package struct MultipartParser {
    package enum Event: Hashable {
        case partBegan(PartHeaders)
        case partBytes(ByteBuffer)
        case partEnded
        /// The closing delimiter was found; the bytes after it are not part of the form.
        case finished
    }

    /// The kind of the body.
    package enum Kind: String, Sendable {
        case formData = "multipart/form-data"
        case related = "multipart/related"
    }

    package static let maxBoundaryBytes = 70
    package static let maxHeaderBytes = 8 << 10
    package static let maxParts = 64
    /// The largest amount of white space between a delimiter and the end of its line, in bytes.
    private static let maxPaddingBytes = 256

    private enum State { case preamble, afterDelimiter, headers, body, finished }

    private let kind: Kind
    private let delimiter: [UInt8]
    private var state = State.preamble
    private var partCount = 0
    /// The buffer begins with a line break, which belongs to the delimiter, because the first delimiter may lack it.
    private var buffer = ByteBuffer(string: "\r\n")

    /// Creates a parser for a body with this `Content-Type`.
    ///
    /// - Throws: `Failure` with the code `bad_multipart` when it names no boundary of 1 to 70 bytes.
    package init(contentType: String, kind: Kind = .formData) throws(Failure) {
        let type = HeaderParameters(contentType)
        guard type.value == kind.rawValue, let boundary = type["boundary"],
            (1...Self.maxBoundaryBytes).contains(boundary.utf8.count)
        else {
            throw Failure(
                .badMultipart, "the Content-Type is not \(kind.rawValue) with a boundary of 1 to 70 bytes",
                hint: "Let the library that creates the form set the header.")
        }
        self.kind = kind
        delimiter = Array("\r\n--\(boundary)".utf8)
    }

    /// Feeds the next bytes of the body. Read all events before feeding more.
    package mutating func feed(_ bytes: ByteBuffer) {
        guard buffer.readableBytes > 0 else {
            buffer = bytes
            return
        }
        var joined = ByteBuffer()
        joined.reserveCapacity(buffer.readableBytes + bytes.readableBytes)
        joined.writeImmutableBuffer(buffer)
        joined.writeImmutableBuffer(bytes)
        buffer = joined
    }

    /// Returns the next event; nil when more bytes are needed, and always after ``Event/finished``.
    ///
    /// A body that ends before ``Event/finished`` is incomplete; the caller has to check this.
    ///
    /// - Throws: `Failure` with the code `bad_multipart`.
    package mutating func next() throws(Failure) -> Event? {
        while true {
            switch state {
            case .preamble:
                guard skipThroughDelimiter() else { return nil }
                state = .afterDelimiter
            case .afterDelimiter:
                guard let isClosing = try readDelimiterEnd() else { return nil }
                state = isClosing ? .finished : .headers
                if isClosing { return .finished }
            case .headers:
                guard let headers = try readHeaders() else { return nil }
                state = .body
                return .partBegan(headers)
            case .body:
                return readBody()
            case .finished:
                buffer.clear()
                return nil
            }
        }
    }

    private mutating func skipThroughDelimiter() -> Bool {
        guard let offset = offset(of: delimiter) else {
            buffer.moveReaderIndex(forwardBy: bytesBeforeTail)
            return false
        }
        buffer.moveReaderIndex(forwardBy: offset + delimiter.count)
        return true
    }

    /// Reads the end of a delimiter: true for `--`, false for the end of its line, nil if it is incomplete.
    private mutating func readDelimiterEnd() throws(Failure) -> Bool? {
        let view = buffer.readableBytesView
        if view.starts(with: "--".utf8) {
            buffer.moveReaderIndex(forwardBy: 2)
            return true
        }
        let padding = view.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.count
        let rest = view.dropFirst(padding)
        let isEnd = rest.starts(with: "\r\n".utf8)
        guard isEnd || rest.count < 2, padding <= Self.maxPaddingBytes else {
            throw Failure(
                .badMultipart, "text other than a line break follows a boundary",
                hint: "Choose a boundary that does not occur in the photos.")
        }
        guard isEnd else { return nil }
        buffer.moveReaderIndex(forwardBy: padding)  // The line break stays: with another, it ends empty headers.
        return false
    }

    private mutating func readHeaders() throws(Failure) -> PartHeaders? {
        let separator = Array("\r\n\r\n".utf8)
        let end = offset(of: separator)
        // The last bytes may be the beginning of the separator.
        guard end ?? (buffer.readableBytes - separator.count + 1) <= Self.maxHeaderBytes else {
            throw Failure(.badMultipart, "a part's headers have more than \(Self.maxHeaderBytes) bytes")
        }
        guard let end else { return nil }
        partCount += 1
        guard partCount <= Self.maxParts else {
            throw Failure(
                .badMultipart, "the form has more than \(Self.maxParts) parts", hint: "Send fewer photos at a time.")
        }
        let headers = try PartHeaders(buffer.readableBytesView.prefix(end), of: kind)
        buffer.moveReaderIndex(forwardBy: end + separator.count)
        return headers
    }

    private mutating func readBody() -> Event? {
        let end = offset(of: delimiter)
        if end == 0 {
            buffer.moveReaderIndex(forwardBy: delimiter.count)
            state = .afterDelimiter
            return .partEnded
        }
        let count = end ?? bytesBeforeTail
        return count > 0 ? buffer.readSlice(length: count).map(Event.partBytes) : nil
    }

    /// The number of bytes that cannot belong to an incomplete delimiter.
    private var bytesBeforeTail: Int { max(0, buffer.readableBytes - (delimiter.count - 1)) }

    private func offset(of pattern: [UInt8]) -> Int? {
        let view = buffer.readableBytesView
        var rest = view[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "\r")) {
            if view[start...].starts(with: pattern) { return start - view.startIndex }
            rest = view[view.index(after: start)...]
        }
        return nil
    }
}
