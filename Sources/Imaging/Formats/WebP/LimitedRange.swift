/// Tables between limited range, 16…235 for luma and 16…240 for chroma (ITU-R BT.601), as in video, and full range,
/// 0…255, as in JPEG.
enum LimitedRange {
    static let lumaToFull = table(from: (16, 219), to: (0, 255))
    static let chromaToFull = table(from: (128, 224), to: (128, 255))
    static let lumaFromFull = table(from: (0, 255), to: (16, 219))
    static let chromaFromFull = table(from: (128, 255), to: (128, 224))

    /// Creates the table from one range to another, rounded to the nearest value.
    private static func table(
        from source: (zero: Int, range: Int), to target: (zero: Int, range: Int)
    ) -> [UInt8] {
        (0...255).map { sample in
            let value = Double((sample - source.zero) * target.range) / Double(source.range)
            return UInt8(clamping: Int(value.rounded()) + target.zero)
        }
    }
}
