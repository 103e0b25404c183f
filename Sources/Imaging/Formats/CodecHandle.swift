/// A decoder of the C code, which is closed when the handle goes out of scope.
@safe
struct CodecHandle: ~Copyable {
    let pointer: OpaquePointer
    private let close: @convention(c) (OpaquePointer?) -> Void

    /// Takes ownership of the result of an open function, which is nil only if memory ran out.
    @unsafe
    init(_ pointer: OpaquePointer?, close: @convention(c) (OpaquePointer?) -> Void) throws(ImageError) {
        guard let pointer = unsafe pointer else { throw .outOfMemory }
        unsafe self.pointer = unsafe pointer
        unsafe self.close = unsafe close
    }

    deinit { unsafe close(pointer) }
}
