import Isolation
import Posts
import Tree

/// Photos that broke their decoder are remembered by their bytes, and refused from then on without being decoded.
///
/// Not for ever: decoders are mended, and what was poison to the old one may be a photo to the new.
extension UploadPipeline {
    /// Refuses a photo that is known to be poison.
    func refusePoison(_ photo: UploadRecord.Photo) async throws {
        let path = Paths.poison / (try TreeKey(photo.sha256))
        guard let verdict = try await tree.get(path), !isForgotten(verdict), let code = verdict["code"]?.stringValue
        else { return }
        throw PipelineError(
            .init(rawValue: code), "\(photo.originalName): \(verdict["message"]?.stringValue ?? "")",
            hint: verdict["hint"]?.stringValue ?? "")
    }

    /// Remembers a photo's verdict. Durable when it returns.
    func rememberPoison(_ photo: UploadRecord.Photo, _ error: IsolationError) async throws {
        try await tree.set(
            Paths.poison / (try TreeKey(photo.sha256)),
            to: [
                "code": .string(error.code.rawValue), "message": .string(error.message), "hint": .string(error.hint),
                "at": .integer(WallClock.milliseconds()),
            ])
    }

    /// Deletes what is not remembered any more.
    func forgetPoison() async throws {
        for child in try await tree.children(of: Paths.poison) where isForgotten(child.value) {
            try await tree.set(Paths.poison / child.key, to: nil)
        }
    }

    private func isForgotten(_ verdict: TreeValue) -> Bool {
        (verdict["at"]?.integerValue ?? 0) < WallClock.milliseconds() - settings.poisonLifetime.milliseconds
    }
}
