/// Whether a store can be trusted: sound as far as is known, or the first damage that was found in it.
///
/// Damage is what SQLite says about its pages, a row whose bytes nobody can have written, or updates that had been
/// acknowledged and are gone. It lasts until the store is opened anew, after somebody has looked: meanwhile the store
/// refuses writes, and whoever deletes something because the tree does not name it has to let it be. Reads go on.
public final class TreeHealth: Sendable {
    private let found = WatchedValue<TreeError?>(nil)

    /// The first damage that was found, with the code `corrupt` or `missing_updates`; nil while none is known.
    public var damage: TreeError? { found.value }

    /// Refuses to go on upon damage.
    ///
    /// - Throws: ``TreeError``, the damage.
    public func check() throws(TreeError) {
        if let damage { throw damage }
    }

    /// Waits until damage is found, or the task is cancelled.
    public func waitForDamage() async {
        await found.wait { $0 != nil }
    }

    /// Notes a failure if it is damage, and nothing was found before.
    func note(_ failure: TreeError) {
        guard failure.isDamage else { return }
        found.change { $0 = $0 ?? failure }
    }
}
