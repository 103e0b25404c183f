package import TreeModel

/// The strata of ``SocialDerivations`` that process the writes of an update.
package enum DerivationScope: Int, Sendable {
    /// All strata: a route or a client has made the update.
    case all = 0
    /// All strata after those that restore protected data: the service itself removes such data.
    case removal = 1
    /// The strata that count: the update repairs derived data or copies, and creates no notifications for old facts.
    case repair = 2
    /// No strata, so that nothing is looked up: new values of existing nodes, and nodes without derivations.
    case none = 1000
}

extension MultiPathUpdate {
    /// The derivations that process the update; all by default.
    package var scope: DerivationScope {
        get { DerivationScope(rawValue: firstStratum) ?? .all }
        set { firstStratum = newValue.rawValue }
    }
}
