@testable import Imaging

/// The result of a comparison of the two JPEG decoders. If ours accepts an image, libjpeg must accept it too, and both
/// must give the same samples.
enum JPEGComparison {
    case refused
    /// Both decoders accept the image. At full size they give the same samples, unless the stream has numbers that no
    /// image has: there libjpeg's 16-bit sums wrap around and ours do not.
    case accepted(areEqual: Bool)
    case disagreement(String)

    static func of(_ bytes: [UInt8]) -> JPEGComparison {
        guard (try? ImageHeader.read(bytes.span, limits: ImageLimits(maxPixels: 100_000))) != nil else {
            return .refused
        }
        if let ours = JPEGOracle.oursOfProgressive(bytes, eighths: [1]) { return ofProgressive(ours, bytes) }
        let ours = [1, 2, 4, 8].map { JPEGOracle.ours(bytes, eighths: [$0]) }
        guard let eighth = ours[0], let full = ours[3], ours[1] != nil, ours[2] != nil else {
            return ours.allSatisfy { $0 == nil } ? .refused : .disagreement("complete only at some scales")
        }
        guard let theirEighth = try? JPEGOracle.libjpeg(bytes, eighths: 1),
            let theirFull = try? JPEGOracle.libjpeg(bytes, eighths: 8)
        else { return .disagreement("libjpeg refuses it") }
        if eighth.samples[0] != theirEighth.samples[0] { return .disagreement("at an eighth") }
        return .accepted(areEqual: full == theirFull)
    }

    /// Compares the decoders on a progressive image. libjpeg may refuse it for faults in scans that an eighth skips.
    private static func ofProgressive(_ eighth: DecodedPlanes, _ bytes: [UInt8]) -> JPEGComparison {
        let ours = [2, 4, 8].map { JPEGOracle.oursOfProgressive(bytes, eighths: [$0]) }
        guard let theirEighth = try? JPEGOracle.libjpeg(bytes, eighths: 1),
            let theirFull = try? JPEGOracle.libjpeg(bytes, eighths: 8)
        else { return ours[2] == nil ? .refused : .disagreement("libjpeg refuses it") }
        if eighth.samples[0] != theirEighth.samples[0] { return .disagreement("DC at an eighth") }
        guard let full = ours[2] else { return .refused }
        if ours[0] == nil || ours[1] == nil { return .disagreement("complete only at full size") }
        return full == theirFull ? .accepted(areEqual: true) : .disagreement("at full size")
    }
}
