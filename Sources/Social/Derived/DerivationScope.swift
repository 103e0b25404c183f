package import TreeModel

/// The strata of ``SocialDerivations`` that see what an update writes.
package enum DerivationScope: Int, Sendable {
    /// All: somebody has written it.
    case all = 0
    /// All behind those that put back what only derivations may write: the service removes such things.
    case removal = 1
    /// Those that count: it mends derived data, or copies, and nobody is told of what was there all along.
    case repair = 2
    /// None, so that nothing is looked up: new values of what is there, and what no derivation follows.
    case none = 1000
}

extension MultiPathUpdate {
    /// The derivations that see what the update writes; all, if nothing else is said.
    package var scope: DerivationScope {
        get { DerivationScope(rawValue: firstStratum) ?? .all }
        set { firstStratum = newValue.rawValue }
    }
}
