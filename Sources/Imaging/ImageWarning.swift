/// A remark on an image that was rendered all the same: a stable code, fit for JSON.
public enum ImageWarning: String, Sendable, Hashable, CaseIterable {
    /// The data ended too early; what was missing is grey or transparent. It is a tenth at most, unless more is
    /// accepted (see `ImageLimits.acceptsTruncated`).
    case truncated
    /// Some of the data is damaged, and what was made of it may be shifted, discoloured or grey; a tenth is
    /// missing at most.
    case damaged
    /// The colour profile, or what else describes the colours, makes no sense, or is of another colour model: the
    /// colours were taken for sRGB.
    case profileIgnored = "profile_ignored"
}
