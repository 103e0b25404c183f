/// The record of the changes and cuts of a file while it is scrubbed; its size is bounded, whatever the file is.
struct ScrubEdits {
    /// The maximum number of edits that are kept; a photo has some dozens.
    static let maxCount = 4096

    /// The overwritten parts and the removed parts, as ranges of the original file.
    private var (changes, cuts): ([Range<Int>], [Range<Int>]) = ([], [])
    /// Whether there were too many edits to keep.
    private var isFull = false

    mutating func change(_ range: Range<Int>) { note(range, in: \.changes) }

    mutating func cut(_ range: Range<Int>) { note(range, in: \.cuts) }

    /// Records a part; a part that continues the previous one extends it.
    private mutating func note(_ range: Range<Int>, in list: WritableKeyPath<ScrubEdits, [Range<Int>]>) {
        guard !range.isEmpty else { return }
        if let last = self[keyPath: list].last, last.upperBound == range.lowerBound {
            self[keyPath: list][self[keyPath: list].count - 1] = last.lowerBound..<range.upperBound
        } else if changes.count + cuts.count < ScrubEdits.maxCount {
            self[keyPath: list].append(range)
        } else {
            isFull = true
        }
    }

    /// Describes the scrubbed file as pieces: kept parts are ranges of the original file.
    ///
    /// - Parameters:
    ///   - count: The number of bytes of the original file.
    ///   - scrubbed: The scrubbed file.
    /// - Returns: The pieces; nil if there are too many edits or too many changed bytes.
    func pieces(of count: Int, scrubbed: [UInt8]) -> ScrubbedPieces? {
        guard !isFull else { return nil }
        var list = ScrubbedPieces()
        var (offset, cutCount) = (0, 0)
        var rest = merged[...]
        for cut in cuts + [count..<count] {
            while let change = rest.first, change.lowerBound < cut.lowerBound {
                let part = change.clamped(to: offset..<cut.lowerBound)
                let new = part.lowerBound - cutCount..<part.upperBound - cutCount
                guard scrubbed.indices.contains(new) else { return nil }
                list.append(.stored(offset..<part.lowerBound))
                list.append(scrubbed[new])
                guard list.isSmall else { return nil }
                offset = part.upperBound
                // A change that extends over the cut continues after it.
                guard change.upperBound <= cut.lowerBound else { break }
                rest.removeFirst()
            }
            list.append(.stored(offset..<max(offset, cut.lowerBound)))
            (offset, cutCount) = (cut.upperBound, cutCount + cut.count)
        }
        return list.byteCount == scrubbed.count ? list : nil
    }

    /// The changes in order, without overlaps.
    private var merged: [Range<Int>] {
        var merged: [Range<Int>] = []
        for change in changes.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, change.lowerBound <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, change.upperBound)
            } else {
                merged.append(change)
            }
        }
        return merged
    }
}
