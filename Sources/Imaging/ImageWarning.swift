/// A warning about an image that was rendered nevertheless: a stable code, suitable for JSON.
public enum ImageWarning: String, Sendable, Hashable, CaseIterable {
    /// The data ended too early; the missing part is grey or transparent. It is at most a tenth of the image, unless
    /// more is accepted (see `ImageLimits.acceptsTruncated`).
    case truncated
    /// Some of the data is damaged, and the affected pixels may be shifted, discoloured or grey; at most a tenth of the
    /// image is missing.
    case damaged
    /// The colour profile, or another description of the colours, is invalid or of another colour model; the colours
    /// were treated as sRGB.
    case profileIgnored = "profile_ignored"
}
