/// Reads the positions of the further images in a JPEG file: gain maps, previews, the other eye's view (CIPA DC-007,
/// 5.2).
enum MultiPictureIndex {
    static let signature = "MPF\0"

    /// The ranges of all images except the first one, in order; nil if the index is invalid: images are outside the
    /// file or overlap.
    ///
    /// - Parameter payload: The range of the index's segment, beginning with its signature.
    static func images(_ bytes: Span<UInt8>, in payload: Range<Int>) -> [Range<Int>]? {
        // Offsets are relative to this position; images are outside the segment.
        let base = payload.lowerBound + signature.utf8.count
        guard base <= payload.upperBound else { return nil }
        let tiff = bytes.extracting(base..<payload.upperBound)
        let isLittleEndian = tiff.starts(with: "II")
        guard isLittleEndian || tiff.starts(with: "MM"),
            let directory = tiff.uint32(at: 4, isLittleEndian: isLittleEndian),
            let list = list(tiff, in: directory, isLittleEndian)
        else { return nil }
        var images: [Range<Int>] = []
        for entry in stride(from: list.lowerBound, to: list.upperBound, by: 16) {
            guard let byteCount = tiff.uint32(at: entry + 4, isLittleEndian: isLittleEndian),
                let offset = tiff.uint32(at: entry + 8, isLittleEndian: isLittleEndian)
            else { return nil }
            // The first image begins with the file, and its offset is 0.
            guard offset > 0 else { continue }
            guard byteCount > 0, byteCount <= bytes.count - base - offset else { return nil }
            images.append(base + offset..<base + offset + byteCount)
        }
        images.sort { $0.lowerBound < $1.lowerBound }
        let areApart = zip(images, images.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }
        return areApart ? images : nil
    }

    /// The range of the list of images, 16 bytes each (tag 0xB002); nil if there is none.
    private static func list(_ tiff: Span<UInt8>, in directory: Int, _ isLittleEndian: Bool) -> Range<Int>? {
        guard let count = tiff.uint16(at: directory, isLittleEndian: isLittleEndian) else { return nil }
        for index in 0..<count {
            let entry = directory + 2 + index * 12
            guard let tag = tiff.uint16(at: entry, isLittleEndian: isLittleEndian) else { return nil }
            guard tag == 0xB002 else { continue }
            guard let byteCount = tiff.uint32(at: entry + 4, isLittleEndian: isLittleEndian),
                let offset = tiff.uint32(at: entry + 8, isLittleEndian: isLittleEndian),
                byteCount % 16 == 0, offset + byteCount <= tiff.count
            else { return nil }
            return offset..<offset + byteCount
        }
        return nil
    }
}
