/// The result of an update that was applied.
struct CommitReceipt: Sendable {
    /// The position in the change log just after the update.
    let token: SyncToken
    /// The writes, with server values resolved.
    let writes: [EncodedWrite]
    /// The change that the update made; nil if it changed nothing.
    let change: EncodedChange?
}
