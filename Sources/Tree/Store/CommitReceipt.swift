/// What became of an update that was applied.
struct CommitReceipt: Sendable {
    /// The position in the change log just after it.
    let token: SyncToken
    /// What it wrote, with the server's values filled in.
    let writes: [EncodedWrite]
    /// What it changed; nil if everything was like that before.
    let change: EncodedChange?
}
