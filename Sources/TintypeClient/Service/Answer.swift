/// An answer of the service with its value.
public struct Answer<Value: Sendable>: Sendable {
    /// The value.
    public var value: Value
    /// The number of the last change that the answer includes (`Tintype-Token`); nil if the service did not send it.
    public var changeNumber: Int64?
    /// The version of the value for conditions; nil if the service did not send it.
    public var etag: String?

    /// Creates an answer.
    public init(_ value: Value, changeNumber: Int64? = nil, etag: String? = nil) {
        (self.value, self.changeNumber, self.etag) = (value, changeNumber, etag)
    }

    /// Returns the answer with another value.
    public func map<Other: Sendable>(_ transform: (Value) throws -> Other) rethrows -> Answer<Other> {
        Answer<Other>(try transform(value), changeNumber: changeNumber, etag: etag)
    }
}

extension Answer: Equatable where Value: Equatable {}
