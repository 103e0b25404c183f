/// The id of a write on this device.
public struct WriteID: RawRepresentable, Codable, Hashable, Sendable, Comparable {
    /// The number of the write: later writes have greater numbers.
    public let rawValue: Int64

    /// Creates an id from its number.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Whether one write was made before another.
    public static func < (left: WriteID, right: WriteID) -> Bool { left.rawValue < right.rawValue }
}
