/// Owns a decoder of the C fence and closes it when it goes out of scope.
@safe
struct CodecHandle: ~Copyable {
    let pointer: OpaquePointer
    private let close: @convention(c) (OpaquePointer?) -> Void

    /// Takes what an open function gave: nil only when memory ran out.
    @unsafe
    init(_ pointer: OpaquePointer?, close: @convention(c) (OpaquePointer?) -> Void) throws(ImageError) {
        guard let pointer = unsafe pointer else { throw .outOfMemory }
        unsafe self.pointer = unsafe pointer
        unsafe self.close = unsafe close
    }

    deinit { unsafe close(pointer) }
}
