/// Decodes AC coefficients one at a time (T.81, F.2.2.2; for scans of a progressive image, G.1.2.2).
final class ACSteps {
    /// The number that is added to a position where the block ends; the position is then at least 128.
    static let endOfBlock = 128
    /// The number of bits that most words and their numbers fit into.
    private static let shortBitCount = 10

    /// The step at the start of each short window.
    private let steps: LookupTable<10, Step>
    private let code: HuffmanCode
    private let hasRuns: Bool

    /// - Parameter hasRuns: Whether there are words that end a run of blocks, as in progressive scans.
    init(_ code: HuffmanCode, hasRuns: Bool = false) {
        self.code = code
        self.hasRuns = hasRuns
        let words = code.words(ofWindows: ACSteps.shortBitCount)
        steps = LookupTable { window in
            guard let word = words[window] else { return .unknown }
            let step = Step(word, hasRuns: hasRuns)
            let length = word.length + step.category
            guard step.hasNumber, length <= ACSteps.shortBitCount else { return step }
            let bits = window >> (ACSteps.shortBitCount - length) & (1 << step.category - 1)
            return step.with(number: bits)
        }
    }

    /// Decodes the next coefficient and consumes its bits, 31 at most; returns `unknown` if there is none.
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

    /// Decodes a word that is too long for the short windows.
    @inline(never)
    private func nextLong(_ reader: BitReader) -> Step {
        unsafe code.word(at: reader.peek(HuffmanCode.maxLength)).map { Step($0, hasRuns: hasRuns) } ?? .unknown
    }
}

extension ACSteps {
    /// A coefficient and the zeros before it; or 16 zeros; or the end of the block.
    struct Step {
        /// The parts of the step, from the top: the value, or the category of a number that has not been read yet (16
        /// bits); the advance in the block (8); whether a number must be read (1); the number of bits to consume,
        /// except those of the number (7).
        private let bits: Int32

        private init(value: Int, advance: Int, hasNumber: Bool, length: Int) {
            bits = Int32(truncatingIfNeeded: value << 16 | advance << 8 | (hasNumber ? 0x80 : 0) | length)
        }

        /// The step for a window without a word.
        static var unknown: Step { Step(value: 0, advance: 0, hasNumber: false, length: 0) }

        /// Creates the step of a word. ZRL advances by 16, and EOB ends the block. With runs, the n of EOBn is added to
        /// the end of the block, which also ends the following blocks. Any other symbol without a number is invalid.
        init(_ word: HuffmanCode.Word, hasRuns: Bool) {
            let (run, category) = (Int(word.symbol >> 4), Int(word.symbol & 15))
            if category > 0 {
                self.init(value: category, advance: run + 1, hasNumber: true, length: word.length)
            } else if run == 15 {
                self.init(value: 0, advance: 16, hasNumber: false, length: word.length)
            } else if run == 0 || hasRuns {
                self.init(value: 0, advance: endOfBlock + run, hasNumber: false, length: word.length)
            } else {
                self = .unknown
            }
        }

        @inline(__always) var isUnknown: Bool { bits == 0 }
        @inline(__always) var hasNumber: Bool { bits & 0x80 != 0 }
        @inline(__always) var category: Int { Int(bits >> 16) }
        @inline(__always) var value: Int32 { bits >> 16 }
        @inline(__always) var advance: Int { Int(bits >> 8 & 0xFF) }
        @inline(__always) var length: Int { Int(bits & 0x7F) }

        /// Returns the step with the value of its number; the bits of both are consumed together.
        @inline(__always)
        func with(number: Int) -> Step {
            let value = HuffmanCode.extend(number, bitCount: category)
            return Step(value: value, advance: advance, hasNumber: false, length: length &+ category)
        }
    }
}
