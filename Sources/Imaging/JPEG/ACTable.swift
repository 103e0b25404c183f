/// Decodes AC coefficients (T.81, F.2.2.2), or passes over them, several at a time.
struct ACTable {
    /// What is added to a place in a block where the block ends: the place is then 128 or more.
    static let endOfBlock = 128
    /// What most words and their numbers fit into.
    private static let shortBitCount = 10

    /// What is at the start of each short window.
    private let steps: LookupTable<10, Step>
    /// As many whole words with their numbers as a window of 13 bits holds.
    let strides: LookupTable<13, Stride>
    private let code: HuffmanCode

    init(_ code: HuffmanCode) {
        self.code = code
        let words = code.words(ofWindows: ACTable.shortBitCount)
        steps = LookupTable { window in
            guard let word = words[window] else { return .unknown }
            let step = Step(word)
            let length = word.length + step.category
            guard step.hasNumber, length <= ACTable.shortBitCount else { return step }
            let bits = window >> (ACTable.shortBitCount - length) & (1 << step.category - 1)
            return step.with(number: bits)
        }
        strides = Stride.table(of: code)
    }

    /// The next coefficient, consumed; `unknown` when there is none. Consumes 31 bits at most.
    @inline(__always)
    func next(_ reader: inout BitReader) -> Step {
        var step = unsafe steps[leadingBitsOf: reader.window]
        if step.isUnknown { step = unsafe nextLong(reader) }
        unsafe reader.consume(step.length)
        guard step.hasNumber else { return step }
        let bits = unsafe reader.peek(step.category)
        unsafe reader.consume(step.category)
        return step.with(number: bits)
    }

    /// A word that the short windows do not know.
    @inline(never)
    private func nextLong(_ reader: BitReader) -> Step {
        unsafe code.word(at: reader.peek(HuffmanCode.maxLength)).map(Step.init) ?? .unknown
    }
}

extension ACTable {
    /// A coefficient with the zeros before it; or 16 zeros; or the end of the block.
    struct Step {
        /// From the top: the value, or the category of a number that has still to be read (16 bits); how far to go on
        /// in the block (8); whether a number has to be read (1); how many bits to consume, but for the number (7).
        private let bits: Int32

        private init(value: Int, advance: Int, hasNumber: Bool, length: Int) {
            bits = Int32(truncatingIfNeeded: value << 16 | advance << 8 | (hasNumber ? 0x80 : 0) | length)
        }

        /// No word is there.
        static var unknown: Step { Step(value: 0, advance: 0, hasNumber: false, length: 0) }

        /// ZRL goes 16 on; EOB ends the block; what else has no number is no symbol of a sequential scan.
        init(_ word: HuffmanCode.Word) {
            let (run, category) = (Int(word.symbol >> 4), Int(word.symbol & 15))
            switch word.symbol {
            case 0x00: self.init(value: 0, advance: endOfBlock, hasNumber: false, length: word.length)
            case 0xF0: self.init(value: 0, advance: 16, hasNumber: false, length: word.length)
            default:
                self =
                    category == 0
                    ? .unknown : Step(value: category, advance: run + 1, hasNumber: true, length: word.length)
            }
        }

        @inline(__always) var isUnknown: Bool { bits == 0 }
        @inline(__always) var hasNumber: Bool { bits & 0x80 != 0 }
        @inline(__always) var category: Int { Int(bits >> 16) }
        @inline(__always) var value: Int32 { bits >> 16 }
        @inline(__always) var advance: Int { Int(bits >> 8 & 0xFF) }
        @inline(__always) var length: Int { Int(bits & 0x7F) }

        /// The step with the bits of its number, which are to be consumed together.
        @inline(__always)
        func with(number: Int) -> Step {
            let value = HuffmanCode.extend(number, bitCount: category)
            return Step(value: value, advance: advance, hasNumber: false, length: length &+ category)
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
            let firsts = code.words(ofWindows: 13).map { word in
                let step = word.map(Step.init) ?? .unknown
                let numberLength = step.hasNumber ? step.category : 0
                return step.isUnknown ? unknown : Stride(advance: step.advance, length: step.length + numberLength)
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
