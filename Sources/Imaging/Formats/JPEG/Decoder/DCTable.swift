/// Decodes differences of DC coefficients (T.81, F.2.2.1).
struct DCTable {
    /// The number of bits that most words and their numbers fit into.
    private static let shortBitCount = 10
    /// The largest category of an 8-bit image's differences (T.81, table F.1).
    private static let maxCategory: UInt8 = 11

    /// The difference in the upper bits and the number of bits to consume in the lower 8, for each short window; 0 for
    /// a longer word.
    private let shortWords: LookupTable<10, Int32>
    private let code: HuffmanCode

    /// Creates the table of a code; nil if a symbol is not a category of differences.
    init?(_ code: HuffmanCode) {
        guard code.symbols.allSatisfy({ $0 <= DCTable.maxCategory }) else { return nil }
        self.code = code
        let words = code.words(ofWindows: DCTable.shortBitCount)
        shortWords = LookupTable { window in
            guard let word = words[window] else { return 0 }
            let category = Int(word.symbol)
            let length = word.length + category
            guard length <= DCTable.shortBitCount else { return 0 }
            let bits = window >> (DCTable.shortBitCount - length) & (1 << category - 1)
            return Int32(category == 0 ? 0 : HuffmanCode.extend(bits, bitCount: category)) << 8 | Int32(length)
        }
    }

    /// Decodes the next difference and consumes its bits, 27 at most; returns nil if there is no such word.
    @inline(__always)
    func next(_ reader: inout BitReader) -> Int? {
        let word = unsafe shortWords[leadingBitsOf: reader.window]
        guard word != 0 else { return unsafe nextLong(&reader) }
        unsafe reader.consume(Int(word & 0xFF))
        return Int(word >> 8)
    }

    @inline(never)
    private func nextLong(_ reader: inout BitReader) -> Int? {
        guard let word = unsafe code.word(at: reader.peek(HuffmanCode.maxLength)) else { return nil }
        unsafe reader.consume(word.length)
        let category = Int(word.symbol)
        guard category > 0 else { return 0 }
        let bits = unsafe reader.peek(category)
        unsafe reader.consume(category)
        return HuffmanCode.extend(bits, bitCount: category)
    }
}
