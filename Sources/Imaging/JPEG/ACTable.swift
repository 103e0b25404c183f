/// Decodes AC coefficients (T.81, F.2.2.2), or passes over them, several at a time.
struct ACTable {
    /// What is added to a place in a block where the block ends: the place is then 128 or more.
    static let endOfBlock = 128

    /// A coefficient with the zeros before it; or 16 zeros; or the end of the block.
    struct Step {
        /// 16 bits of value, 8 bits of how far to go on in the block, 8 bits of how many bits to consume.
        let bits: Int32

        init(value: Int, advance: Int, length: Int) { bits = Int32(value << 16 | advance << 8 | length) }

        /// No word fits the window.
        static var unknown: Step { Step(value: 0, advance: 0, length: 0) }

        @inline(__always) var isUnknown: Bool { bits == 0 }
        @inline(__always) var value: Int32 { bits >> 16 }
        @inline(__always) var advance: Int { Int(bits >> 8 & 0xFF) }
        @inline(__always) var length: Int { Int(bits & 0xFF) }
    }

    /// One coefficient, for each window of 10 bits that holds all of it.
    let steps: LookupTable<10, Step>
    /// As many whole words with their numbers as a window of 13 bits holds.
    let strides: LookupTable<13, Stride>
    private let code: HuffmanCode

    init(_ code: HuffmanCode) {
        self.code = code
        steps = LookupTable { window in
            let step = ACTable.step(code, at: window << 6)
            return step.length <= 10 ? step : .unknown
        }
        strides = Stride.table(of: code)
    }

    /// The next coefficient by the book, whatever its length; `unknown` when there is no such word.
    ///
    /// Its value is not read from the table: a window of 16 bits may not hold it. Consumes 31 bits at most.
    @inline(never)
    func next(_ reader: inout BitReader) -> Step {
        guard let word = unsafe code.word(at: reader.peek(HuffmanCode.maxLength)) else { return .unknown }
        unsafe reader.consume(word.length)
        let category = Int(word.symbol & 15)
        guard category > 0 else { return ACTable.step(zeroRunOf: word) }
        let bits = unsafe reader.peek(category)
        unsafe reader.consume(category)
        return Step(
            value: HuffmanCode.extend(bits, bitCount: category), advance: Int(word.symbol >> 4) + 1,
            length: word.length + category)
    }

    /// The coefficient at the start of a 16-bit window; longer than 16 bits if not all of it is there.
    private static func step(_ code: HuffmanCode, at window: Int) -> Step {
        guard let word = code.word(at: window) else { return .unknown }
        let category = Int(word.symbol & 15)
        guard category > 0 else { return step(zeroRunOf: word) }
        let length = word.length + category
        let bits = length > 16 ? 0 : window >> (16 - length) & (1 << category - 1)
        return Step(
            value: HuffmanCode.extend(bits, bitCount: category), advance: Int(word.symbol >> 4) + 1, length: length)
    }

    /// ZRL goes 16 on; EOB ends the block; what else has no number after it is no symbol of a sequential scan.
    private static func step(zeroRunOf word: HuffmanCode.Word) -> Step {
        switch word.symbol {
        case 0xF0: Step(value: 0, advance: 16, length: word.length)
        case 0x00: Step(value: 0, advance: endOfBlock, length: word.length)
        default: .unknown
        }
    }
}

extension ACTable {
    /// Several words with their numbers, of which only the length and the way through the block are known.
    struct Stride {
        /// 8 bits of how far to go on in the block, 8 bits of how many bits to consume.
        let bits: UInt16

        init(advance: Int, length: Int) { bits = UInt16(advance << 8 | length) }

        /// Not one word fits the window: an advance that leads from every place to one between 65 and 127.
        static var unknown: Stride { Stride(advance: 64, length: 0) }

        @inline(__always) var advance: Int { Int(bits >> 8) }
        @inline(__always) var length: Int { Int(bits & 0xFF) }

        /// For each window, the words that begin in it and end in it; the first may end beyond it.
        static func table(of code: HuffmanCode) -> LookupTable<13, Stride> {
            let firsts = (0..<1 << 13).map { window in
                let step = ACTable.step(code, at: window << 3)
                // A word that itself is longer than the window was made up of bits that are not there.
                let wordLength = code.word(at: window, of: 13)?.length ?? 0
                return wordLength == 0 || step.isUnknown
                    ? Stride.unknown : Stride(advance: step.advance, length: step.length)
            }
            return LookupTable { window in
                var (advance, length) = (0, 0)
                while length < 13, advance < endOfBlock {
                    let next = firsts[window << length & (1 << 13 - 1)]
                    let isWhole = next.length > 0 && length + next.length <= 13
                    guard isWhole || length == 0 && next.length > 0, advance + next.advance % endOfBlock <= 63 else {
                        break
                    }
                    advance += next.advance
                    length += next.length
                }
                return length == 0 ? .unknown : Stride(advance: advance, length: length)
            }
        }
    }
}
