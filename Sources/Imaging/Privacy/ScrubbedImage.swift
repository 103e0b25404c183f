/// A file without the place where its photo was taken.
public struct ScrubbedImage: Sendable, Hashable {
    /// The format of the file, before and after.
    public let format: ImageFormat
    /// The whole file.
    public let bytes: [UInt8]
    /// The kinds of data that were removed; none when the bytes are as they were.
    public let removed: Set<LocationSource>
}

/// A kind of data that tells, or may tell, where a photo was taken: a stable code, fit for JSON.
public enum LocationSource: String, Sendable, Hashable, CaseIterable {
    /// EXIF's GPS directory.
    case gps
    /// EXIF's note of the camera's maker, in a form of its own.
    case makerNote = "maker_note"
    /// An XMP packet that names a place, or that cannot be judged.
    case xmp
    /// An IPTC record that names a place, or that cannot be judged, with the Photoshop resources around it.
    case iptc
    /// Text beside the image, of a PNG, that names a place or cannot be judged.
    case text
    /// EXIF that makes no sense.
    case damagedEXIF = "damaged_exif"
    /// Data of a kind that is not known, or that nothing refers to.
    case unknownData = "unknown_data"
    /// Data behind the image's end, such as a film.
    case trailingData = "trailing_data"
}
