extension ColorDescription {
    /// Joins the chunks of an ICC profile in APP2 segments before the first scan (ICC.1:2022, annex B.4).
    ///
    /// A chunk contains its number, from 1, and the number of chunks. They are put in order; if one is missing, is
    /// repeated or contains another number of chunks, the profile is unknown.
    static func readJPEG(_ bytes: Span<UInt8>) -> ColorDescription {
        var chunks = Chunks()
        var offset = 2  // after the start-of-image marker
        while let (marker, payload) = try? JPEGHeader.nextSegment(bytes, &offset), marker != 0xDA {
            let segment = bytes.extracting(payload)
            guard marker == 0xE2, segment.starts(with: "ICC_PROFILE\0") else { continue }
            guard chunks.add(segment, at: payload.lowerBound) else { return .broken }
        }
        guard chunks.count > 0 else { return .standard }
        guard let profile = chunks.joined(bytes) else { return .broken }
        return checked(profile)
    }

    /// The positions of a profile's chunks in the file.
    private struct Chunks {
        /// The number of chunks according to the first one; 0 before that.
        private(set) var count = 0
        private var parts: [Range<Int>?] = []
        private var byteCount = 0

        /// Records a chunk; returns false if it contradicts the others, or if all together are too long.
        mutating func add(_ segment: Span<UInt8>, at position: Int) -> Bool {
            guard let number = segment.byte(at: 12), let total = segment.byte(at: 13), total > 0 else { return false }
            if count == 0 {
                count = Int(total)
                parts = Array(repeating: nil, count: count)
            }
            let index = Int(number) - 1
            guard Int(total) == count, parts.indices.contains(index), parts[index] == nil else { return false }
            parts[index] = position + 14..<position + segment.count
            byteCount += segment.count - 14
            return byteCount <= ColorDescription.maxProfileBytes
        }

        /// Returns the profile; nil if a chunk is missing.
        func joined(_ bytes: Span<UInt8>) -> [UInt8]? {
            var profile: [UInt8] = []
            profile.reserveCapacity(byteCount)
            for part in parts {
                guard let part else { return nil }
                for index in part { profile.append(bytes[index]) }
            }
            return profile
        }
    }
}
