/// The state of what the device shows, compared with what the service knows.
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
    /// The state compared with what the service knows.
    public var state = LocalState.upToDate
    /// The writes on it that wait for the person: refused ones and conflicts. Mostly empty.
    public var parkedWrites: [WriteID] = []

    /// Creates a value as it would be on a device.
    public init(_ value: Value, state: LocalState = .upToDate, parkedWrites: [WriteID] = []) {
        (self.value, self.state, self.parkedWrites) = (value, state, parkedWrites)
    }
}

extension Local: Identifiable where Value: Identifiable {
    /// The id of the value.
    public var id: Value.ID { value.id }
}
