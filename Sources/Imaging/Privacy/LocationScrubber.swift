/// Takes the place where a photo was taken out of its file, without decoding it: the pixels stay as they are, bit for
/// bit.
///
/// What goes:
/// - in EXIF, the GPS directory, the maker's note and all tags that are not in the EXIF standard, since makers put
///   places there; what no tag refers to; thumbnails that are no whole JPEG, and what metadata a thumbnail carries
///   itself;
/// - XMP that names a place in any of its fields (the whole packet), and all XMP that is continued elsewhere;
/// - Photoshop's resources with an IPTC record that names a place (all of them);
/// - text chunks of a PNG that hold EXIF, IPTC or unknown packed data, or that name a place;
/// - application segments, chunks, extensions, items and boxes of kinds that are not known, data of no item, user data
///   of films, and whatever lies behind the image's end, such as the film of a motion photo;
/// - EXIF that makes no sense, but for its orientation.
///
/// What stays: orientation, date, camera, exposure, author and copyright in EXIF, its thumbnail, the colour profile,
/// gain maps and other images of an MPF index (each is scrubbed too), XMP and IPTC that name no place, and what a person
/// wrote as a comment, a title, a caption or a keyword, even if it says where that was.
///
/// What cannot be followed to its end is refused. Nothing here recurses; time is linear in the input, and memory at most
/// twice the input.
public enum LocationScrubber {
    /// Removes whatever tells, or may tell, the place. Scrubbing twice gives the same bytes as scrubbing once.
    ///
    /// - Throws: `ImageError`, when the file is of no known format, cut, damaged, or of a kind that cannot be scrubbed:
    ///   its bytes must not be handed out then.
    public static func scrub(
        _ bytes: consuming [UInt8], limits: ImageLimits = ImageLimits()
    ) throws(ImageError) -> ScrubbedImage {
        var (format, file) = try scrubbed(bytes, limits)
        return ScrubbedImage(format: format, bytes: file.finish(), removed: file.found)
    }

    /// Describes what `scrub` makes of a file by the file as it was, so that it can be sent from where it is stored.
    ///
    /// - Throws: `ImageError`, as `scrub`; and for a file that would change in thousands of places.
    public static func pieces(
        of bytes: consuming [UInt8], limits: ImageLimits = ImageLimits()
    ) throws(ImageError) -> ScrubbedPieces {
        var (format, file) = try scrubbed(bytes, limits)
        guard let pieces = file.finishedPieces() else {
            throw .unsupported(
                "removing the place from a \(format.name) with so much to remove",
                hint: "Save the picture again in another program, and use that.")
        }
        return pieces
    }

    /// A file whose place is gone, but for what `ScrubbedBytes.finish` does.
    private static func scrubbed(
        _ bytes: consuming [UInt8], _ limits: ImageLimits
    ) throws(ImageError) -> (ImageFormat, ScrubbedBytes) {
        try limits.check(byteCount: bytes.count)
        guard let format = ImageFormat.detect(bytes.span) else {
            if let format = ImageFormat.ofCutSignature(bytes.span) { throw .truncated(format) }
            throw .unsupported(UnsupportedFormat.name(of: bytes.span))
        }
        var file = ScrubbedBytes(bytes)
        switch format {
        case .jpeg: try JPEGScrubber.scrub(&file)
        case .png: try PNGScrubber.scrub(&file)
        case .gif: try GIFScrubber.scrub(&file)
        case .webp: try WebPScrubber.scrub(&file)
        case .heic, .avif: try HEIFScrubber.scrub(&file, format: format)
        }
        return (format, file)
    }

    /// Whether there is anything in a file that tells, or may tell, the place: what `scrub` would remove.
    ///
    /// - Throws: `ImageError`, as `scrub`: nobody knows then.
    public static func containsLocation(
        _ bytes: [UInt8], limits: ImageLimits = ImageLimits()
    ) throws(ImageError) -> Bool {
        try !scrub(bytes, limits: limits).removed.isEmpty
    }
}
