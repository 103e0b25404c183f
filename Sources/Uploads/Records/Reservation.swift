/// A reserved post id.
package enum Reservation: Sendable {
    /// A new upload, or one that was begun before and not finished: its photos may be sent.
    case new(UploadRecord)
    /// An existing upload with the client's reference.
    case known(UploadRecord)
}
