/// A file without the place where its photo was taken.
public struct ScrubbedImage: Sendable, Hashable {
    /// The format of the file, the same as before.
    public let format: ImageFormat
    /// The bytes of the whole scrubbed file.
    public let bytes: [UInt8]
    /// The kinds of data that were removed; empty if the bytes are unchanged.
    public let removed: Set<LocationSource>
}

/// A kind of data that reveals, or may reveal, where a photo was taken: a stable code, suitable for JSON.
public enum LocationSource: String, Sendable, Hashable, CaseIterable {
    /// EXIF's GPS directory.
    case gps
    /// EXIF's maker note, in a format of the camera's maker.
    case makerNote = "maker_note"
    /// An XMP packet that names a place or cannot be checked.
    case xmp
    /// An IPTC record that names a place or cannot be checked, with the Photoshop resources around it.
    case iptc
    /// A PNG's text that names a place or cannot be checked.
    case text
    /// Malformed EXIF.
    case damagedEXIF = "damaged_exif"
    /// Data of an unknown kind, or that nothing refers to.
    case unknownData = "unknown_data"
    /// Data after the image's end, such as a film.
    case trailingData = "trailing_data"
}
