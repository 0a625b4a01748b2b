// Trust in the certificate authorities of a PEM file.
package dev.millrace.internal.rest;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

final class Trust {
  private Trust() {}

  /** Trusts these and no others. */
  static SSLContext in(byte[] pem) {
    try {
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(storeOf(pem));
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException unreadable) {
      throw new IllegalArgumentException("the trusted certificates are not PEM", unreadable);
    }
  }

  private static KeyStore storeOf(byte[] pem) throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    int count = 0;
    for (Certificate certificate :
        CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pem)))
      store.setCertificateEntry("ca-" + count++, certificate);
    return store;
  }
}
