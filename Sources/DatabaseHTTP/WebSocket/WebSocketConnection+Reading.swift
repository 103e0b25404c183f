import API
import Database
import NIOCore
import NIOWebSocket
import Transport

extension WebSocketConnection {
    /// Receives a frame of a message.
    func receive(_ frame: WebSocketFrame) {
        let bytes = frame.unmaskedData.readableBytesView
        do {
            let message = try reading.joiner.add(
                bytes, isContinuation: frame.opcode == .continuation, isFinal: frame.fin)
            if reading.joiner.isWithinMessage, !reading.joiner.isTooLong {
                if reading.memory == nil { reading.memory = admitted.database.memoryShare(for: identity.session) }
                try reading.memory?.take(bytes.count)
            } else {
                reading.memory = nil
            }
            reading.noteFrame()
            guard let message else { return askWhetherMayWrite() }
            count(message.byteCount)
            run { session, effects in session.receive(message, &effects) }
        } catch is MessageJoiner.Fault {
            close(.protocolError)
        } catch {
            close(.tryAgainLater)
        }
    }

    /// Counts a message; reading pauses until the client is within its limits of sent messages and reads.
    private func count(_ byteCount: Int) {
        guard let limits = admitted.limits(of: identity.proof) else { return }
        limits.limiter.count(byteCount, of: limits.client)
        do throws(Failure) {
            try limits.limiter.countRequest(of: limits.client)
            try limits.limiter.checkReads(of: limits.client)
        } catch {
            reading.isDelayed = true
            loop.eventLoop.assumeIsolated().scheduleTask(in: .seconds(Int64(error.retryAfter ?? 1))) { [weak self] in
                self?.reading.isDelayed = false
                self?.readOn()
            }
        }
    }

    /// Begins to check whether the client may write anything, if a long message depends on it. The check waits until
    /// all earlier requests are done, because they may change the identity.
    func askWhetherMayWrite() {
        guard !session.isBusy, let message = reading.beginAsking() else { return }
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        Task(name: "WebSocket permission") {
            [identity, namespace = admitted.namespace, eventLoop = loop.eventLoop] in
            let maySend = await identity.mayWrite(anywhereIn: namespace)
            eventLoop.execute {
                bound.value.reading.decide(maySend, on: message)
                bound.value.readOn()
            }
        }
    }

    func read(context: ChannelHandlerContext) {
        guard isRefused || (session.isReady && reading.isReady) else { return reading.isHeld = true }
        context.read()
    }

    func readOn() {
        guard reading.isHeld, session.isReady, reading.isReady else { return }
        reading.isHeld = false
        context?.read()
    }
}
