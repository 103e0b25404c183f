/// The difference between what the device shows and what the service knows.
public enum LocalState: String, Hashable, Sendable {
    /// It was made on this device, and the service does not know it yet.
    case toBeAdded
    /// It is as the service knows it.
    case upToDate
    /// It was changed on this device, and the service does not know the change yet.
    case toBeUpdated
    /// It was deleted on this device, and the service does not know that yet.
    case toBeDeleted
}

/// Something on the device: as the service knows it, with the person's own writes laid over it.
public struct Local<Value: Sendable & Hashable>: Hashable, Sendable {
    /// The value.
    public var value: Value
    /// The difference from what the service knows.
    public var state = LocalState.upToDate
    /// The writes on it that wait for the person: refused ones and conflicts. Mostly empty.
    public var parkedWrites: [WriteID] = []

    /// Creates a value as it would be on a device.
    public init(_ value: Value, state: LocalState = .upToDate) { (self.value, self.state) = (value, state) }
}

extension Local: Identifiable where Value: Identifiable {
    /// The id of the value.
    public var id: Value.ID { value.id }
}

/// The id of a write on this device.
public struct WriteID: RawRepresentable, Codable, Hashable, Sendable, Comparable {
    /// The number of the write: later writes have greater numbers.
    public let rawValue: Int64

    /// Creates an id from its number.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Whether one write was made before another.
    public static func < (left: WriteID, right: WriteID) -> Bool { left.rawValue < right.rawValue }
}
