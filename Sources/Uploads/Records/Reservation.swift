/// A post id that has been taken.
package enum Reservation: Sendable {
    /// Nobody asked for it before, or nobody finished: the photos may come.
    case new(UploadRecord)
    /// The client's reference was used before; this is what became of it.
    case known(UploadRecord)
}
