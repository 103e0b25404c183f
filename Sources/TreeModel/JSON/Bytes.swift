extension Span where Element == UInt8 {
    /// The bytes as a separate array.
    @inlinable package var copied: [UInt8] { withUnsafeBufferPointer { Array($0) } }

    /// The bytes as text; invalid UTF-8 becomes replacement characters.
    @inlinable package var text: String { withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }
}

extension [UInt8] {
    /// Appends a run of bytes.
    @inlinable package mutating func append(_ run: Span<UInt8>) {
        run.withUnsafeBufferPointer { append(contentsOf: $0) }
    }
}

extension String {
    /// Creates a string from the bytes; nil if they are not UTF-8.
    package init?(validating bytes: Span<UInt8>) {
        let string = bytes.withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) }
        guard let string else { return nil }
        self = string
    }
}
