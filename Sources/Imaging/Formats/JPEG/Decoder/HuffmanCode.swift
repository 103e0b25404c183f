/// A Huffman code from a DHT segment (T.81, B.2.4.2 and annex C): the number of codes of each length, and their
/// symbols.
struct HuffmanCode: Sendable {
    /// The length of the longest code, in bits.
    static let maxLength = 16

    /// A code word's symbol and its length in bits.
    struct Word: Sendable {
        let symbol: UInt8
        let length: Int
    }

    /// The first 16-bit window after the codes of each length; 0 for lengths below the shortest code.
    private let windowEnds: [Int]
    /// The number, for each length, that is added to a code to get the index of its symbol.
    private let symbolOffsets: [Int]
    /// The numbers of codes of 1, 2, … 16 bits.
    private let counts: [UInt8]
    /// The symbols in the order of their codes.
    let symbols: [UInt8]

    /// Assigns the codes (T.81, C.2); nil if they do not fit, or would use the reserved code of all ones.
    ///
    /// - Parameter counts: The numbers of codes of 1, 2, … 16 bits (BITS).
    /// - Parameter symbols: The symbols (HUFFVAL), as many as the counts add up to, at most 256.
    init?(counts: [UInt8], symbols: [UInt8]) {
        guard counts.count == HuffmanCode.maxLength, symbols.count <= 256,
            counts.reduce(0, { $0 + Int($1) }) == symbols.count
        else {
            return nil
        }
        var windowEnds = [Int](repeating: 0, count: 17)
        var symbolOffsets = [Int](repeating: 0, count: 17)
        var (code, position) = (0, 0)
        for length in 1...HuffmanCode.maxLength {
            let count = Int(counts[length - 1])
            symbolOffsets[length] = position - code
            code += count
            position += count
            guard count == 0 || code < 1 << length else { return nil }
            windowEnds[length] = code << (HuffmanCode.maxLength - length)
            code <<= 1
        }
        self.windowEnds = windowEnds
        self.symbolOffsets = symbolOffsets
        self.counts = counts
        self.symbols = symbols
    }

    /// Returns the word at the start of a 16-bit window; nil if there is none (T.81, F.2.2.3, figure F.16).
    func word(at window: Int) -> Word? {
        for length in 1...HuffmanCode.maxLength where window < windowEnds[length] {
            let place = symbolOffsets[length] + window >> (HuffmanCode.maxLength - length)
            return symbols.indices.contains(place) ? Word(symbol: symbols[place], length: length) : nil
        }
        return nil
    }

    /// Returns the word at the start of each window of `bitCount` bits; nil if it is incomplete.
    func words(ofWindows bitCount: Int) -> [Word?] {
        var words: [Word?] = []
        words.reserveCapacity(1 << bitCount)
        // Codes are assigned in ascending order, as are the windows that begin with them.
        var position = 0
        for (index, count) in counts.enumerated() where index < bitCount {
            for symbol in symbols[position..<position + Int(count)] {
                let word: Word? = Word(symbol: symbol, length: index + 1)
                words.append(contentsOf: repeatElement(word, count: 1 << (bitCount - index - 1)))
            }
            position += Int(count)
        }
        return words + repeatElement(nil, count: 1 << bitCount - words.count)
    }

    /// Returns the number that the `bitCount` bits after a word stand for (T.81, F.2.2.1, EXTEND).
    @inline(__always)
    static func extend(_ bits: Int, bitCount: Int) -> Int {
        // Branchless, since half of all numbers are negative.
        let isNegative = (bits &>> (bitCount &- 1)) &- 1
        return bits &+ (isNegative & (1 &- (1 &<< bitCount)))
    }
}
