/// The check before lcms2: examines a profile's header and its list of tags (ICC.1:2022, 7.2 and 7.3).
enum ICCProfile {
    /// The largest number of tags that lcms2 accepts.
    private static let maxTagCount = 100

    /// Whether the bytes describe a grey, RGB or CMYK device with tags that are inside the profile and cost a bounded
    /// time.
    static func isPlausible(_ profile: Span<UInt8>) -> Bool {
        guard let size = profile.uint32(at: 0), size >= 132, size <= profile.count,
            profile.starts(with: "acsp", at: 36), let tagCount = profile.uint32(at: 128), tagCount <= maxTagCount,
            matches(["mntr", "scnr", "prtr", "spac"], profile, at: 12),
            matches(["GRAY", "RGB ", "CMYK"], profile, at: 16), matches(["XYZ ", "Lab "], profile, at: 20)
        else { return false }
        return (0..<tagCount).allSatisfy { isPlausibleTag(profile, at: 132 + $0 * 12, size: size) }
    }

    /// Whether a tag (a signature, an offset and a size) is inside the profile and of a kind that is cheap to apply.
    ///
    /// Multi-process elements are programs as long as their file, for motion pictures; photos do not contain them.
    private static func isPlausibleTag(_ profile: Span<UInt8>, at entry: Int, size: Int) -> Bool {
        guard let offset = profile.uint32(at: entry + 4), let length = profile.uint32(at: entry + 8),
            offset + length <= size
        else { return false }
        return !profile.starts(with: "mpet", at: offset)
    }

    private static func matches(_ signatures: [String], _ profile: Span<UInt8>, at offset: Int) -> Bool {
        signatures.contains { profile.starts(with: $0, at: offset) }
    }
}
