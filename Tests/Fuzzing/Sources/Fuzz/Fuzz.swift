#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The target that `TINTYPE_FUZZ_TARGET` names.
private let target: Target = {
    let name = getenv("TINTYPE_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = Target(rawValue: name) else {
        print("TINTYPE_FUZZ_TARGET is one of: \(Target.allCases.map(\.rawValue).joined(separator: " "))")
        exit(2)
    }
    return target
}()

/// Tests some bytes; libFuzzer calls this repeatedly.
@_cdecl("LLVMFuzzerTestOneInput")
public func take(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target.take(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
