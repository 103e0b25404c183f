internal import CSandbox
internal import Glibc
public import Imaging

/// The program of a worker: enters its sandbox, then renders images until its socket is closed.
public enum RenderWorker {
    /// A function that renders an image's bytes, with the recipes to render, other recipes of the same set, and the
    /// limits.
    public typealias Render = (
        Span<UInt8>, _ recipes: [Recipe], _ others: [Recipe], ImageLimits
    ) throws(ImageError) -> RenderedImage

    /// The socket to the service, which is inherited from it.
    static let socket: Int32 = 3

    /// Runs a worker and never returns; the program that `IsolatedRenderer` starts must call it while it has a single
    /// thread.
    ///
    /// - Parameter render: The function that renders an image; by default `Renderer`.
    public static func run(
        render: Render = { bytes, recipes, others, limits throws(ImageError) in
            try Renderer(limits: limits).render(bytes, recipes: recipes, beside: others)
        }
    ) -> Never {
        do {
            let addressSpaceBytes = try Sandbox.enter()
            send(Handshake.ready(addressSpaceBytes: addressSpaceBytes).message)
        } catch {
            send(Handshake.missing(error.what).message)
            _exit(1)
        }
        var buffer = [UInt8](repeating: 0, count: MessageReader.maxBytes)
        while true {
            var descriptors: [Int32] = [-1, -1]
            let count = csandbox_receive(socket, &buffer, buffer.count, &descriptors)
            // The service has closed the socket.
            guard count > 0, let request = try? RenderRequest(buffer[..<count]) else { _exit(count == 0 ? 0 : 1) }
            let answer = answer(to: request, file: descriptors[0], memory: descriptors[1], render)
            for descriptor in descriptors { _ = close(descriptor) }
            send(answer.message(to: request.number))
        }
    }

    private static func send(_ message: [UInt8]) {
        guard csandbox_send(socket, message, message.count, nil, 0) == 0 else { _exit(1) }
    }

    private static func answer(
        to request: RenderRequest, file: Int32, memory: Int32, _ render: Render
    ) -> RenderAnswer {
        // One byte beyond the limit is enough for the renderer to refuse the image.
        let wanted = request.limits.maxInputBytes
        let count = request.byteCount > wanted ? wanted + 1 : request.byteCount
        let (bytes, code) = read(file, at: 0, maxBytes: count)
        guard code == 0 else { return .unreadable(code) }
        do throws(ImageError) {
            let image = try render(bytes.span, request.recipes, request.others, request.limits)
            return .rendered(try hand(image, over: memory, capacity: request.capacity))
        } catch {
            return .refused(error)
        }
    }

    /// Writes the renditions, one after the other, into the shared memory.
    private static func hand(
        _ image: RenderedImage, over memory: Int32, capacity: Int
    ) throws(ImageError) -> RenderAnswer.Summary {
        let byteCount = image.renditions.reduce(0) { $0 + $1.bytes.count }
        guard byteCount <= capacity else {
            throw ImageError(
                .tooMuchMemory, "its renditions have more than \(capacity / 1_048_576) MiB",
                hint: "Request smaller renditions.")
        }
        let mapped = mmap(nil, capacity, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0)
        guard let mapped, mapped != MAP_FAILED else {
            throw ImageError(.outOfMemory, "there is no memory for its renditions", hint: "Try again later.")
        }
        defer { munmap(mapped, capacity) }
        var pieces: [RenderAnswer.Piece] = []
        var offset = 0
        for rendition in image.renditions {
            let count = rendition.bytes.count
            rendition.bytes.withUnsafeBytes { bytes in
                if let base = bytes.baseAddress { (mapped + offset).copyMemory(from: base, byteCount: count) }
            }
            pieces.append(
                RenderAnswer.Piece(format: rendition.format, size: rendition.size, offset: offset, byteCount: count))
            offset += count
        }
        return RenderAnswer.Summary(
            header: image.header, pieces: pieces, placeholder: image.placeholder, color: image.color,
            warnings: image.warnings)
    }
}
