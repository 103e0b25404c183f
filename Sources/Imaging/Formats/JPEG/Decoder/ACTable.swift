/// Decodes AC coefficients (T.81, F.2.2.2), or skips them, several at a time.
struct ACTable {
    let steps: ACSteps
    /// The complete words and their numbers in each window of 13 bits.
    let strides: LookupTable<13, Stride>

    init(_ code: HuffmanCode) {
        steps = ACSteps(code)
        strides = Stride.table(of: code)
    }
}

extension ACTable {
    /// Several words and their numbers, reduced to their length and their advance in the block.
    struct Stride {
        /// The advance in the block (8 bits) and the number of bits to consume (8 bits).
        let bits: UInt16

        init(advance: Int, length: Int) { bits = UInt16(advance << 8 | length) }

        /// The stride for a window without a complete word: its advance leads from every position to one between 65 and
        /// 127.
        static var unknown: Stride { Stride(advance: 64, length: 0) }

        @inline(__always) var advance: Int { Int(bits >> 8) }
        @inline(__always) var length: Int { Int(bits & 0xFF) }

        /// Creates the table of the words that begin and end in each window; the first word may end beyond it.
        static func table(of code: HuffmanCode) -> LookupTable<13, Stride> {
            let firsts = code.words(ofWindows: 13).map { word in
                let step = word.map { ACSteps.Step($0, hasRuns: false) } ?? .unknown
                let numberLength = step.hasNumber ? step.category : 0
                return step.isUnknown ? unknown : Stride(advance: step.advance, length: step.length + numberLength)
            }
            return LookupTable { window in
                var (advance, length) = (0, 0)
                while length < 13, advance < ACSteps.endOfBlock {
                    let next = firsts[window << length & (1 << 13 - 1)]
                    let isWhole = next.length > 0 && length + next.length <= 13
                    guard isWhole || length == 0 && next.length > 0, advance + next.advance % ACSteps.endOfBlock <= 63
                    else {
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
