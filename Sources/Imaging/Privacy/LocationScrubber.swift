/// Removes the place where a photo was taken from its file, without decoding it: the pixels stay the same, bit for bit.
///
/// Removed are:
/// - in EXIF, the GPS directory, the maker's note and all tags that are not in the EXIF standard, since makers store
///   places there; data that no tag refers to; thumbnails that are not a complete JPEG, and the metadata of a thumbnail
///   itself;
/// - XMP that names a place in any of its fields (the whole packet), and all XMP that is continued elsewhere;
/// - Photoshop's resources with an IPTC record that names a place (all of them);
/// - text chunks of a PNG that contain EXIF, IPTC or unknown compressed data, or that name a place;
/// - application segments, chunks, extensions, items and boxes of unknown kinds, data that belongs to no item, user
///   data of films, and all data after the image's end, such as the film of a motion photo;
/// - malformed EXIF, except its orientation.
///
/// Kept are the orientation, date, camera, exposure, author and copyright in EXIF, its thumbnail, the colour profile,
/// gain maps and other images of an MPF index (each is scrubbed, too), XMP and IPTC that name no place, and comments,
/// titles, captions and keywords by people, even if they mention a place.
///
/// A file that cannot be parsed to its end is refused. The functions are synchronous, do not recurse and may be called
/// on any thread; time is linear in the input, and memory is at most twice the input.
public enum LocationScrubber {
    /// Removes all data that reveals, or may reveal, the place. Scrubbing twice gives the same bytes as scrubbing once.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the whole file.
    ///   - limits: The limits on the file's size.
    /// - Returns: The scrubbed file in the same format.
    /// - Throws: `ImageError` if the file's format is not supported, or if the file is truncated, damaged, or of a kind
    ///   that cannot be scrubbed. Its bytes must then not be published.
    public static func scrub(
        _ bytes: consuming [UInt8], limits: ImageLimits = ImageLimits()
    ) throws(ImageError) -> ScrubbedImage {
        var (format, file) = try scrubbed(bytes, limits)
        return ScrubbedImage(format: format, bytes: file.finish(), removed: file.found)
    }

    /// Describes the result of `scrub` by ranges of the original file, so that it can be sent from where that is
    /// stored.
    ///
    /// - Throws: `ImageError`, as `scrub` does; also if the file would change in thousands of places.
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

    /// A scrubbed file before `ScrubbedBytes.finish`.
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

    /// Whether a file contains data that reveals, or may reveal, the place: the data that `scrub` would remove.
    ///
    /// - Throws: `ImageError`, as `scrub` does; it is then unknown whether there is such data.
    public static func containsLocation(
        _ bytes: [UInt8], limits: ImageLimits = ImageLimits()
    ) throws(ImageError) -> Bool {
        try !scrub(bytes, limits: limits).removed.isEmpty
    }
}
