import API
import Database
import NIOCore
import NIOWebSocket
import Transport

extension WebSocketConnection {
    /// Takes a frame of a message.
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

    /// Counts a message; whoever sends too much, or has had too much read, is read again when it is due.
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

    /// Asks whether the client may write anything, if a long message depends on it: once all is done that came before, who
    /// it is among it.
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
