package dev.sluice.spring.client;

import dev.sluice.client.Turn;
import java.io.IOException;
import java.io.InputStream;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;

/** A response whose call ends when it is closed. */
final class CallResponse implements ClientHttpResponse {
  private final ClientHttpResponse response;
  private final Turn turn;

  CallResponse(ClientHttpResponse response, Turn turn) {
    this.response = response;
    this.turn = turn;
  }

  @Override
  public HttpStatusCode getStatusCode() throws IOException {
    return response.getStatusCode();
  }

  @Override
  public String getStatusText() throws IOException {
    return response.getStatusText();
  }

  @Override
  public HttpHeaders getHeaders() {
    return response.getHeaders();
  }

  @Override
  public InputStream getBody() throws IOException {
    return response.getBody();
  }

  @Override
  public void close() {
    response.close();
    turn.end();
  }
}
