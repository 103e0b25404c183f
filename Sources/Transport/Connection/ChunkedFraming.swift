import API

/// Finds the end of a chunked body (RFC 9112 §7.1); it works beside the parser, and is stricter.
struct ChunkedFraming {
    private enum State {
        /// The line with the length of the next chunk; `digits` of it have arrived.
        case size(value: Int, digits: Int)
        /// The extensions that may follow the length.
        case parameters(value: Int)
        /// The position after the carriage return of that line.
        case sizeEnd(value: Int)
        case data(left: Int)
        case dataEnd
        case dataLineFeed
        /// The fields after the last chunk; `isEmpty` tells whether the line is still empty.
        case trailer(isEmpty: Bool)
        case trailerLineFeed(isLast: Bool)
        case ended
    }

    /// The largest total size of chunk extensions and trailers, in bytes; clients do not need them.
    private static let maxExtraBytes = 8 << 10

    private var state = State.size(value: 0, digits: 0)
    private var extraByteCount = 0

    var isAtEnd: Bool { if case .ended = state { true } else { false } }

    /// Returns the number of the bytes that belong to the body; fewer than all if it ends before.
    ///
    /// - Throws: `Failure` with the code `malformed_request`.
    mutating func consume(_ bytes: some RandomAccessCollection<UInt8>) throws(Failure) -> Int {
        var index = bytes.startIndex
        while index < bytes.endIndex, !isAtEnd {
            if case .data(let left) = state {
                let count = min(left, bytes.distance(from: index, to: bytes.endIndex))
                index = bytes.index(index, offsetBy: count)
                state = left == count ? .dataEnd : .data(left: left - count)
            } else {
                try consume(bytes[index])
                index = bytes.index(after: index)
            }
        }
        return bytes.distance(from: bytes.startIndex, to: index)
    }

    private mutating func consume(_ byte: UInt8) throws(Failure) {
        switch (state, byte) {
        case (.size(let value, let digits), _) where byte.hexValue != nil && digits < 15:
            state = .size(value: value << 4 | (byte.hexValue ?? 0), digits: digits + 1)
        case (.size(let value, 1...), UInt8(ascii: ";")): state = .parameters(value: value)
        case (.size(let value, 1...), UInt8(ascii: "\r")), (.parameters(let value), UInt8(ascii: "\r")):
            state = .sizeEnd(value: value)
        case (.parameters, 0x20...0x7E), (.parameters, 0x80...), (.parameters, UInt8(ascii: "\t")): try countExtra()
        case (.sizeEnd(0), UInt8(ascii: "\n")): state = .trailer(isEmpty: true)
        case (.sizeEnd(let value), UInt8(ascii: "\n")): state = .data(left: value)
        case (.dataEnd, UInt8(ascii: "\r")): state = .dataLineFeed
        case (.dataLineFeed, UInt8(ascii: "\n")): state = .size(value: 0, digits: 0)
        case (.trailer(let isEmpty), UInt8(ascii: "\r")): state = .trailerLineFeed(isLast: isEmpty)
        case (.trailer, 0x20...0x7E), (.trailer, 0x80...), (.trailer, UInt8(ascii: "\t")):
            try countExtra()
            state = .trailer(isEmpty: false)
        case (.trailerLineFeed(let isLast), UInt8(ascii: "\n")): state = isLast ? .ended : .trailer(isEmpty: true)
        default: throw .malformed("its body is not chunked as announced", hint: "Send the whole request again.")
        }
    }

    private mutating func countExtra() throws(Failure) {
        extraByteCount += 1
        guard extraByteCount <= Self.maxExtraBytes else {
            throw .malformed("its chunk extensions and trailers have more than \(Self.maxExtraBytes) bytes")
        }
    }
}

extension UInt8 {
    fileprivate var hexValue: Int? { Character(UnicodeScalar(self)).hexDigitValue }
}
