public import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension EntityID {
    /// The beginning of an id that a device has made, which no id of the service has.
    private static var localPrefix: String { "local-" }

    /// Whether a device has made the id.
    public var isLocal: Bool { rawValue.hasPrefix(Self.localPrefix) }

    /// Makes an id that no other device makes.
    static func makeLocal() -> EntityID { local(UUID()) }

    /// Returns the id of what a device has made with another id.
    static func local(_ id: UUID) -> EntityID { EntityID(localPrefix + id.uuidString) }
}
