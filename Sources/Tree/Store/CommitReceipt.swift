/// The result of an update that was applied.
struct CommitReceipt: Sendable {
    /// The position in the change log just after it.
    let token: SyncToken
    /// The writes, with the server's values filled in.
    let writes: [EncodedWrite]
    /// The change that it made; nil if everything was like that before.
    let change: EncodedChange?
}
